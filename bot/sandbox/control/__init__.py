"""The control API: act as a person, and watch what that person may see. The page and the tests call it."""
