"""From noisy views to any marginal: agreement, no negative cells, rebuilding."""
