"""The lobby: starts, resumes and stops this computer's tables from a page."""
