package config
import ("testing";"strings";"time";"fmt")
func TestZTime(t *testing.T){
 n:=256<<10
 rep:=func(s string) string { return strings.Repeat(s, n/len(s)) }
 nest:=""; for i:=0; len(nest)<n-1000; i++ { nest+=strings.Repeat(" ",i)+"a:\n" }
 keys:=""; for i:=0; len(keys)<n-100; i++ { keys+=fmt.Sprintf("k%d: 1\n",i) }
 vars:="variables:\n"; for i:=0; len(vars)<n-100; i++ { vars+=fmt.Sprintf(" k%d: 1\n",i) }
 secs:="sections:\n"; for i:=0; len(secs)<n-100; i++ { secs+=fmt.Sprintf("- {name: k%d, text: a}\n",i) }
 prov:="providers:\n"; for i:=0; len(prov)<n-100; i++ { prov+=fmt.Sprintf(" k%d: {key_env: a}\n",i) }
 for i,s:=range []string{rep("- a\n"),rep("a"),rep("#\n"),rep("\n"),nest,keys,vars,secs,prov,"a: |\n"+rep(" x\n"),"a: \""+rep("\\u00e9"),"a: >\n"+rep(" x y\n"),rep("[],"),"fallback: ["+rep("a,")+"]",rep("? a\n"),rep("a: {b: 1}\n"),"a: '"+rep("x\n"),"a:\n"+rep(" - b: c\n"),rep("a: b "), "a: "+rep("\"\" "), rep("- - - "), rep("\t"), rep("a\n"), rep("}"), rep("!a "), "é: \""+rep("é"), "variables: {"+rep("é: 1, ")+"}", rep("--- \n"), rep("a: |\n"), rep("|\n")}{
  if len(s)>n {s=s[:n]}
  st:=time.Now()
  l:=&loader{tree:&node{kind:mapping,from:&layer{}}}
  l.layer(s,&layer{name:UserLayer,path:"x"})
  c := Config{origins: map[string]Origin{}}
  merged := merge(defaultTree(), prune(l.tree)); d:=&decoder{}; d.group(merged, root(), "", &c); c.record("",merged)
  if e:=time.Since(st); e>150*time.Millisecond { fmt.Println(i, e, len(l.faults), s[:20]) }
 }
}
