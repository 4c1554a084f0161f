"""What every kernel needs: the decorator and its cache, bundles of arguments, locks, the clock."""
