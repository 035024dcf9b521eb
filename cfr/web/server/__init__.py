"""What every feature answers with: the guard, connections, endpoints, visitors, workers, and the JSON of spots.

It knows the store and no feature.
"""
