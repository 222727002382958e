SITENAME = "Harbour handbook"
SITEURL = ""
AUTHOR = "The harbour office"
PATH = "content"
TIMEZONE = "UTC"
DEFAULT_LANG = "en"
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = None
