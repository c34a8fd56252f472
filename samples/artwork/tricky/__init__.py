"""House deck of Tricky Safari: four board quarters and ten animals with their facing."""
