"""On `core`: flows become machines and actions plans, who calls whom, and the same program made quicker."""
