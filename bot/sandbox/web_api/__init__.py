"""Slack's Web API, as far as the bot uses it: one module per family of methods."""
