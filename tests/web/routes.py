"""The routes of the page, by what they know."""

from cfr.web.page import STATIC

# Checked against the application's own table. The first ones know of no hands; spots name all cards there are.
SPOTS = [
    "/api/ranges",
    "/api/flops",
    "/api/runouts",
    "/api/spot",
    "/api/values",
    "/api/spot.csv",
    "/api/spot.svg",
    "/api/spot.png",
]
WANTED = ["/api/exact/forecast", "/api/exact/solve"]
EXACT = ["/api/exact", "/api/exact/spot", "/api/exact/runouts", "/api/exact/stop", *WANTED]
REVIEWS = ["/api/review", "/api/review/start", "/api/review/stop", "/api/review/decisions"]
REVIEWS += ["/api/review.csv", "/api/review.json", "/api/review/hand"]
DATABASE = ["/api/database", "/api/database/hand", "/api/database/totals", "/api/database/decisions"]
OPPONENTS = ["/api/opponents", "/api/opponents/player", "/api/opponents/file", "/api/opponents/log"]
OPPONENTS += [f"/api/opponents/log/{what}" for what in ("start", "learn", "stop")]
PUBLIC = [
    "/",
    "/explore",
    "/play",
    "/train",
    "/watch",
    "/review",
    "/opponents",
    *STATIC,
    "/nowhere",
    "/api/game",
    *SPOTS,
    *EXACT,
    *REVIEWS,
    *DATABASE,
    *OPPONENTS,
]
PRIVATE = ["/api/table", "/api/table/deal", "/api/table/act", "/api/table/hint", "/api/table/solving"]
PRIVATE += ["/api/table/learnt"]
AGAINST = ["/api/table", "/api/table/deal", "/api/table/learnt", "/api/hands"]
PRIVATE += ["/api/hands", "/api/hands.log", "/api/session"]
PRIVATE += ["/api/train", "/api/train/deal", "/api/train/act", "/api/train/values", "/api/train/answers"]
PRIVATE += ["/api/train.csv", "/api/train.json"]
PRIVATE += ["/api/saved", "/api/saved/keep", "/api/saved/remove"]
ROUTES = PUBLIC + PRIVATE
