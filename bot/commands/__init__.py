"""What each command of ``haitang`` does; bot.cli only reads the words that people typed."""
