"""The statistics page: charts painted by hand, each with a table twin and a CSV file."""
