#!/bin/sh
# Every language stands in messages.txt exactly once, as xx=text.
status=0
for language in en de fr es it pt; do
	n=$(grep -c "^$language=." messages.txt)
	[ "$n" -eq 1 ] || { echo "check: $language stands there $n times"; status=1; }
done
[ "$(wc -l <messages.txt)" -eq 6 ] || { echo "check: messages.txt does not hold six lines"; status=1; }
exit $status
