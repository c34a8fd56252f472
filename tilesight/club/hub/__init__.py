"""Hub of a club: takes in what tables publish, and knows what each game comes to."""
