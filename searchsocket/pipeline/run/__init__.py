"""What surrounds the stages: the run's context, its results, checks and plan."""
