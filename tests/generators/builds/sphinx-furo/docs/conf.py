project = "Harbour handbook"
version = release = "1.2"
language = "en"
extensions = ["myst_parser"]
html_theme = "furo"
