"""KataGo's analysis protocol: queries and answers as lines of JSON."""
