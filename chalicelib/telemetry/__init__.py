"""What operators see of what goes on: log lines, metrics, and the id that ties them to a request."""
