package main

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// keysNote says where an agent's key belongs: never into the unit itself.
const keysNote = "The agent's own login is used. A key, where one is needed, belongs into "

// systemdFiles are a oneshot and its timer. 10 (not due, held) and 12 (done) are no failures; 13 is one, since a person is
// needed, and is not tried again before the next turn of the timer.
func systemdFiles(u unit) []unitFile {
	service := fmt.Sprintf(`[Unit]
Description=loopd: an iteration of %s, if one is due

[Service]
Type=oneshot
WorkingDirectory=%s
ExecStart=%s
SuccessExitStatus=10 12
# An iteration has its own limits; loopd ends its agent and puts the tree back within the time below.
TimeoutStartSec=infinity
TimeoutStopSec=60
KillMode=mixed
# Each agent gets a control group of its own, which is killed whole.
Delegate=yes
# %sa file with mode 0600 that only you can read:
#EnvironmentFile=%%h/.config/loopd/keys
`, systemdText(u.Name), systemdText(u.Root), systemdArgv(u.Argv), keysNote)
	timer := fmt.Sprintf(`[Unit]
Description=loopd: asks whether an iteration of %s is due

[Timer]
OnBootSec=2min
OnUnitInactiveSec=%dmin
RandomizedDelaySec=10s

[Install]
WantedBy=timers.target
`, systemdText(u.Name), int(u.Every.Minutes()))
	return []unitFile{{"loopd-" + u.ID + ".service", service}, {"loopd-" + u.ID + ".timer", timer}}
}

// systemdText escapes what systemd would expand.
func systemdText(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// systemdArgv quotes a command line as systemd reads one (systemd.service, "Command lines").
func systemdArgv(argv []string) string {
	var out []string
	for _, w := range argv {
		w = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(w)
		out = append(out, `"`+w+`"`)
	}
	return strings.Join(out, " ")
}

// cronFiles is one line of a crontab; "%" would end the command there.
func cronFiles(u unit) []unitFile {
	line := "cd " + shellQuote(u.Root) + " && " + asTyped(u.Argv) + " >>" + shellQuote(u.Root+"/.loop/cron.log") + " 2>&1"
	minutes := int(u.Every.Minutes())
	when := "*/" + strconv.Itoa(minutes) + " * * * *"
	if minutes == 1 {
		when = "* * * * *"
	}
	return []unitFile{{"loopd-" + u.ID + ".cron", "# loopd: an iteration of " + u.Name + ", if one is due. " + keysNote + "a file that the command sources, not into this one.\n" + when + " " + strings.ReplaceAll(line, "%", `\%`) + "\n"}}
}

// launchdFiles is a property list for a user's agent.
func launchdFiles(u unit) []unitFile {
	esc := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // into memory
		return b.String()
	}
	var args strings.Builder
	for _, w := range u.Argv {
		args.WriteString("    <string>" + esc(w) + "</string>\n")
	}
	text := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>loopd.%s</string>
  <key>ProgramArguments</key>
  <array>
%s  </array>
  <key>WorkingDirectory</key>
  <string>%s</string>
  <key>StartInterval</key>
  <integer>%d</integer>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>StandardErrorPath</key>
  <string>%s</string>
</dict>
</plist>
`, u.ID, args.String(), esc(u.Root), int(u.Every.Seconds()), esc(u.Root+"/.loop/launchd.log"))
	return []unitFile{{"loopd." + u.ID + ".plist", text}}
}

// accepted is a shell's tail that takes 10 and 12 for success.
const accepted = ` || { code=$?; case $code in 10|12) exit 0 ;; *) exit $code ;; esac; }`

// actionsFiles is a workflow. A checkout is fresh each time: what loopd remembers travels in the cache, and the loop's branch
// is pushed by the workflow, not by loopd.
func actionsFiles(u unit) []unitFile {
	argv := append([]string{"loopd"}, u.Argv[1:]...)
	text := fmt.Sprintf(`# loopd: an iteration of %s, if one is due.
name: loopd %s
on:
  schedule:
    - cron: "*/%d * * * *"
  workflow_dispatch: {}
permissions:
  contents: write
concurrency:
  group: loopd-%s
  cancel-in-progress: false
jobs:
  iteration:
    runs-on: ubuntu-latest
    timeout-minutes: 120
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      # Put loopd and the agent CLI on PATH here, in versions that you chose.
      - name: What the loop remembers
        uses: actions/cache@v4
        with:
          path: |
            .loop/*/state.json
            .loop/*/journal.md
            .git/loopd
          key: loopd-%s-${{ github.run_id }}
          restore-keys: loopd-%s-
      - name: Iterate
        env:
          # Only this step sees the key.
          ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}
        run: |
          git config user.name loopd
          git config user.email loopd@users.noreply.github.com
          %s
      - name: Show the work
        run: |
          if git rev-parse -q --verify %s >/dev/null; then git push origin %s; fi
`, u.Name, u.ID, max(5, int(u.Every.Minutes())), u.ID, u.ID, u.ID, asTyped(argv)+accepted, shellQuote("refs/heads/loop/"+u.Name), shellQuote("loop/"+u.Name))
	return []unitFile{{"loopd-" + u.ID + ".yml", text}}
}

// kubernetesFiles is a CronJob over a claim that holds the repository.
func kubernetesFiles(u unit) []unitFile {
	argv := append([]string{"loopd"}, u.Argv[1:]...)
	text := fmt.Sprintf(`# loopd: an iteration of %s, if one is due. The claim holds the repository; it is written by one pod at a time.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: loopd-%s
spec:
  schedule: "*/%d * * * *"
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 300
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 60
          automountServiceAccountToken: false
          containers:
            - name: loopd
              image: %s
              workingDir: /work
              command:
                - sh
                - -c
                - %s
              env:
                - name: HOME
                  value: /work/.home
              envFrom:
                - secretRef:
                    name: loopd-keys
                    optional: true
              volumeMounts:
                - name: work
                  mountPath: /work
          volumes:
            - name: work
              persistentVolumeClaim:
                claimName: %s-work
`, u.Name, u.ID, int(u.Every.Minutes()), strconv.Quote(u.Image), strconv.Quote(asTyped(argv)+accepted), u.ID)
	return []unitFile{{"loopd-" + u.ID + ".yaml", text}}
}
