"""Query a vector store on another machine: with a timeout, a circuit breaker and a check that it is not empty."""
