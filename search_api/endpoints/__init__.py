"""HTTP endpoints, one file each: parameters, answers and errors."""
