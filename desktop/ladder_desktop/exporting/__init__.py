"""A candidate's progress as files: apkg, CSV and the progress bundle. No Qt."""
