"""The widgets of the app. What they show of data is cleaned text, never markup."""
