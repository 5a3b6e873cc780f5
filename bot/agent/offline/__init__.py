"""The roles of a run without any model: rules and extraction. They also serve when models fail."""
