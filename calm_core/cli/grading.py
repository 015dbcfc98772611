"""The command `grade`: files that students handed in."""

import sys

from calm_core.cli import options
from calm_core.cli.output import Progress, print_json, print_notes
from calm_core.io.atomic_files import OUT, check_writable, write_atomically
from calm_core.io.csv_export import safe_csv

PROBLEMS = 1


def grade(
    folder: options.HandedIn,
    assignment: options.AssignmentFiles = None,
    out: options.GradesOut = None,
    json: options.AsJson = False,
) -> int:
    """Grade the files that students handed in, as CSV; exit status 1 if one was changed, is unreadable or has a name twice."""
    # It loads pandas, which most commands do without.
    from calm_core.assignments import grading
    from calm_core.assignments.assignment import load_assignment

    target = None if out is None else check_writable(out, OUT)
    files = grading.list_files(folder)
    given = {str(path.resolve()): load_assignment(path) for path in assignment or ()}
    # Neither the assignment nor the table of an earlier call is an answer.
    skipped = {*given, str(target.resolve()) if target else ""}
    files = [file for file in files if str((folder / file).resolve()) not in skipped]
    assignments = grading.known_assignments(tuple(given.values()))
    graded = []
    with Progress("files are graded", lambda done: (done, len(files))) as progress:
        for graded_file in grading.grade_files(folder, files, assignments):
            graded.append(graded_file)
            progress(len(graded))
    graded = grading.mark_twins(graded)
    table = grading.grades_table(graded)
    if target is not None:
        write_atomically(target, safe_csv(table), what=OUT)
    if json:
        print_json({"files": table.to_dict("records")})
    elif target is None:
        sys.stdout.write(safe_csv(table).decode())
    troubled = [graded_file for graded_file in graded if graded_file.problem]
    print_notes(f"{graded_file.file}: {graded_file.problem}" for graded_file in troubled)
    print_notes([f"{len(graded) - len(troubled)} of {len(graded)} files graded without a problem."])
    return PROBLEMS if troubled else 0
