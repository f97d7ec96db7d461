package main

import (
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"loopd/journal"
)

func TestUnitID(t *testing.T) {
	for name, want := range map[string]string{"kaizen": "kaizen", "My Loop_2": "my-loop-2", "日本": "loop", "-x-": "x", "a..b": "a-b", strings.Repeat("a", 60): strings.Repeat("a", 40)} {
		if got := unitID(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestPollEvery(t *testing.T) {
	for _, c := range []struct {
		cadence journal.Cadence
		want    time.Duration
	}{
		{journal.Cadence{Kind: journal.Every, Every: 10 * time.Second}, time.Minute}, {journal.Cadence{Kind: journal.Every, Every: 5*time.Minute + 30*time.Second}, 5 * time.Minute},
		{journal.Cadence{Kind: journal.Every, Every: 24 * time.Hour}, 15 * time.Minute}, {journal.Cadence{Kind: journal.Daily}, 5 * time.Minute}, {journal.Cadence{Kind: journal.OnDemand}, 15 * time.Minute},
	} {
		if got := pollEvery(c.cadence); got != c.want {
			t.Errorf("%+v: %s, want %s", c.cadence, got, c.want)
		}
	}
}

func TestSystemdArgv(t *testing.T) {
	if got := systemdArgv([]string{"/a b", "100%", "$x", `"q"`, `\`}); got != `"/a b" "100%%" "$$x" "\"q\"" "\\"` {
		t.Error(got)
	}
}

// Both YAML files are read again, and say the same command whatever stands in it.
func TestYAMLUnits(t *testing.T) {
	u := unit{Name: "k", ID: "k", Root: "/r", Argv: []string{"/bin/loopd", "run", "k", "--once", "--if-due", "--harness", "a \"b\" 'c' 100% $d: #e"}, Every: 5 * time.Minute, Image: "reg/x:1"}
	want := "loopd run k --once --if-due --harness " + shellQuote(u.Argv[6]) + accepted
	var job struct {
		Kind string
		Spec struct {
			Schedule    string
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							RestartPolicy string `yaml:"restartPolicy"`
							Containers    []struct {
								Image   string
								Command []string
							}
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal([]byte(kubernetesFiles(u)[0].Text), &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	if job.Kind != "CronJob" || job.Spec.Schedule != "*/5 * * * *" || pod.RestartPolicy != "Never" || len(pod.Containers) != 1 || pod.Containers[0].Image != "reg/x:1" || pod.Containers[0].Command[2] != want {
		t.Errorf("the job is %+v", job)
	}
	var flow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Run string
				Env       map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(actionsFiles(u)[0].Text), &flow); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range flow.Jobs["iteration"].Steps {
		found = found || s.Name == "Iterate" && strings.Contains(s.Run, want) && len(s.Env) == 1
		if s.Name != "Iterate" && len(s.Env) > 0 {
			t.Errorf("step %q sees %v", s.Name, s.Env)
		}
	}
	if !found {
		t.Errorf("the workflow is %+v", flow)
	}
}
