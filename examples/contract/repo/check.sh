test ! -e broken.txt
