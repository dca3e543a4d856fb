"""What tensim new writes for editors: each kernel has its command, and the command works as it stands.

Usage: editor.py FOLDER
"""
import glob
import json
import subprocess
import sys

rows = json.load(open(sys.argv[1] + "/compile_commands.json"))
sources = sorted(glob.glob(rows[0]["directory"] + "/*.cpp"))
if not sources or sorted(row["file"] for row in rows) != sources:
    sys.exit("not each kernel has a command")
for row in rows:
    subprocess.run(row["arguments"] + ["-fsyntax-only"], cwd=row["directory"], check=True)
