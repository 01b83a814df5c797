"""Tasks: where learning samples come from, read without running anything but what loads them."""
