/** The command `npm run drill`. */
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runFailoverDrill } from './failover.ts'

const USAGE = `Breaks a highly available installation on purpose, under load, and checks that no charge or payment is lost.

  npm run drill -- failover      runs three Patroni members with strict synchronous replication, etcd, HAProxy, the
                                 service and a chain on this machine, and creates ten charges per second
      --runs N                   runs of each fault (3)
      --only TEXT                only faults whose names contain TEXT; "control" is the control run with asynchronous
                                 replication

Exits with 1 if a charge whose creation returned 201 is lost, a payment is not paid out exactly once or not reported as
settled, a request returns 500, or the control loses no charge. If a program is missing, the drill prints the command
that installs it. Faults that fill a disk require root, and faults that stop processes require Patroni 3.0.3.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help || positionals[0] !== 'failover') console.log(USAGE)
else process.exitCode = await drill()

async function drill(): Promise<0 | 1> {
  const directory = await temporaryDirectory('drill')
  const say = (line: string) => console.log(line)
  const failed = await runFailoverDrill({ directory, say, runs: Number(values.runs), only: values.only })
  for (const reason of failed) console.log(`FAILED  ${reason}`)
  console.log(failed.length === 0 ? 'passed' : `${failed.length} failed; the logs are in ${directory}`)
  if (failed.length === 0) await rm(directory, { recursive: true, force: true })
  return failed.length === 0 ? 0 : 1
}
