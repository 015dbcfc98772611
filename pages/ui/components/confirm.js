// Added to every script: drops the choices that Python has handled.
export default component => {
  confirmChoices(component.parentElement, component.data?.confirmed)
  return renderComponent(component)
}
