package plain

import "strings"

// table lists, by program, what the "*" of a rule does not cover since it makes
// the program start another one, write a file that is named, or read its settings
// from elsewhere. A rule that names such a word itself covers it.
//
//	--name  a long option, also abbreviated and with "=value"
//	-abc    short options, alone, in a group or with their value attached
//	%name   a long option with one or two dashes that is not abbreviated
//	!name   a subcommand
//	<N      more than N arguments that are no options, or that stand behind one
//
// A row of two words is for that subcommand of the program, and for all else
// before it the row of the program holds.
const table = `
git          --config-env --exec-path --git-dir --work-tree --super-prefix --attr-source --output --ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager --template --extcmd --tool --editor --gpg-sign --bare --separate-git-dir -cCO
git archive  --remote -o
git blame    --contents
git branch   --edit-description
git clone    --config --recurse-submodules --recursive --reference --bundle-uri -u
git fetch    --recurse-submodules --negotiation-tip
git pull     --recurse-submodules --strategy -sX
git merge    --strategy -sX
git format-patch --output-directory -o
git rebase   --strategy --interactive -xsXi
git tag      --local-user -u
git commit   --file -Ft
git grep     -f
git difftool -xt
git mergetool -t
git bundle   !create
hg           --config --cwd --repository --config-file -R
svn          --config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd
rg           --pre --pre-glob --hostname-bin --search-zip -z
ag           --pager
ack          --pager --ackrc --env
fd           --exec --exec-batch -xX
find         %exec %execdir %ok %okdir %delete %fprint %fprint0 %fprintf %fls
sort         --output --compress-program --temporary-directory -oT
uniq         <1
shuf         --output -o
split        --filter
xxd          <1
tree         -oR
less         --log-file --LOG-FILE --lesskey-file --lesskey-src --tag --tag-file -oOkTt +
more         +
man          --pager --html --preprocessor --config-file --browser -PHC
bat          --pager --map-syntax --generate-config-file
file         --compile --magic-file --uncompress --preserve-date -CmzZp
date         --set -s
hostname     --file -F <0
sdiff        --output -o
diff         --paginate -l
patch        --output --get -og
tar          --checkpoint-action --to-command --use-compress-program --rsh-command --rmt-command --info-script --new-volume-script --index-file --volno-file --absolute-names --files-from -IFPTg
bsdtar       --use-compress-program -IPT
cpio         --rsh-command --file --format -FOI
zip          --unzip-command --test --temp-path -Tb
unzip        -d
7z           -si -so
rsync        --rsh --rsync-path --files-from --log-file --write-batch --only-write-batch --temp-dir --backup-dir --remote-option --daemon --password-file -eTM
scp          -oSFDP
sftp         -oSFbDs
curl         --output --output-dir --remote-name --remote-name-all --remote-header-name --config --upload-file --form --dump-header --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --etag-save --libcurl --engine --unix-socket --proxy --preproxy --data --data-binary --data-raw --data-urlencode --json --create-dirs --netrc-file --write-out --ssl-sessions -woOJKTFDcdxnE
wget         --output-document --output-file --append-output --directory-prefix --input-file --execute --use-askpass --config --post-file --body-file --warc-file --save-cookies --rejected-log --hsts-file -OoaPiex
nm           --plugin
ar           --plugin
ranlib       --plugin
objcopy      <1
iconv        --output -o
openssl      %out %engine %provider %provider-path %config %keyout %writerand
yq           --inplace --split-exp --from-file -is
pandoc       --output --filter --lua-filter --extract-media --pdf-engine --data-dir --defaults --log -oFLd
install      --strip-program
make         --file --makefile --directory --eval --include-dir --environment-overrides --old-file --new-file --assume-new -fCIEWo
go           !run !generate !tool !install !telemetry %exec %toolexec %vettool %o %overlay %modfile %ldflags %gcflags %asmflags %gccgoflags %compiler %C %w %u %coverprofile %cpuprofile %memprofile %blockprofile %mutexprofile %http %trace %outputdir %pkgdir %fuzz %fuzzcachedir %gocoverdir %testlogfile
cmake        --toolchain --trace-redirect --profiling-output -EPDUC
gofmt        %w %cpuprofile
cargo        !install !run --config --manifest-path --target-dir --out-dir --artifact-dir -ZC
npm          !exec !x !init !create !config !set !explore !edit --script-shell --node-options --prefix --userconfig --globalconfig --editor --viewer --shell -Cg
pnpm         !exec !dlx !create !config !env --script-shell --dir --config -C
yarn         !dlx !exec !create !config !node --cwd --use-yarnrc
pip          !config !install !download --target --prefix --root --log --index-url --extra-index-url --python -tif
python       -cm
node         --eval --print --require --import --loader --experimental-loader --env-file --inspect --inspect-brk -epr
deno         !eval !install !run !repl --import-map --config
bun          --eval --print --preload -epr
ruby         --encoding -erICSxi
perl         -eEFIMmixsSdpn
php          --run --define --php-ini --process-code -rdcBRFEzS
lua          -el
ghc          -eF
java         --class-path %agentlib %agentpath %javaagent %cp %classpath
dotnet       !exec !script !tool
gh           !alias !extension !config !codespace !ssh-key !secret !api
kubectl      !exec !cp !plugin !config --kubeconfig
eslint       --fix --rulesdir --config --plugin --resolve-plugins-relative-to --output-file --format --parser --cache-location -ocf
prettier     --write --plugin --config --cache-location -w
pytest       --rootdir --confcutdir --basetemp --junit-xml --junitxml --log-file --override-ini --pdbcls --debug --pastebin --report-log -copW
ip           !netns %force %batch %b -b
ss           --kill --events -KD
dmesg        --clear --console-off --console-level --read-clear -CcDEn
sysctl       --write --load --system -wp
ctags        --options --output -of
dot          -oOKlsG
ffmpeg       %filter_script %report %f %vstats
convert      %write
gcc          %wrapper %specs %B %o %fplugin -B
clang        %fplugin %load %o %Xclang -B
`

// options is a row of the table.
type options struct {
	long    []string
	short   string
	dashed  map[string]bool
	refused map[string]bool // subcommands
	most    int             // arguments that are no options; -1: any number
}

// parseTable reads the table; the rows of a subcommand hold those of the program
// too.
func parseTable(text string) map[string]*options {
	rows := map[string]*options{}
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		name, rest := fields[0], fields[1:]
		row := &options{dashed: map[string]bool{}, refused: map[string]bool{}, most: -1}
		if len(rest) > 0 && 'a' <= rest[0][0] && rest[0][0] <= 'z' {
			whole := rows[name]
			row.long, row.short = append(row.long, whole.long...), whole.short
			name, rest = name+" "+rest[0], rest[1:]
		}
		for _, f := range rest {
			switch {
			case strings.HasPrefix(f, "--"):
				row.long = append(row.long, f[2:])
			case f[0] == '-':
				row.short += f[1:]
			case f[0] == '%':
				row.dashed[f[1:]] = true
			case f[0] == '!':
				row.refused[f[1:]] = true
			case f[0] == '<':
				row.most = int(f[1] - '0')
			case f[0] == '+':
				row.short += "+"
			}
		}
		rows[name] = row
	}
	return rows
}
