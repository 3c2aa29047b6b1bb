"""The image and the services of compose.yaml: read, and, without an engine of containers, run."""
