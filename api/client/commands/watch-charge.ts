import { parseArgs } from 'node:util'
import { followCharge } from '../follow-charge.ts'
import type { Schema } from '../schema.ts'
import { describeCharge } from './describe-charge.ts'
import { readChargeId } from './option-values.ts'
import { createProgress, type Progress } from './progress.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Follows a charge until it is settled or has ended.

  svc charges watch ID

Prints one line per change to standard output, and what the charge waits for to standard error. Exit code 2 if the
charge expired, was underpaid, was refunded from its escrow or could not be paid out.
`

/** Exit code for a charge that ended without success. */
const ENDED_OTHERWISE = 2

type Charge = Schema<'Charge'>

/** `svc charges watch`. */
export const watchCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true })
    const id = readChargeId('charges watch', positionals)
    const progress = createProgress()
    try {
      const last = await watch(followCharge(api, id), progress)
      if (last?.settlementStatus !== 'completed' || last.status !== 'confirmed') {
        process.exitCode = ENDED_OTHERWISE
      }
    } finally {
      progress.stop()
    }
    return []
  },
}

async function watch(updates: ReturnType<typeof followCharge>, progress: Progress): Promise<Charge | null> {
  let last: Charge | null = null
  for await (const item of updates) {
    if (item.kind === 'progress') {
      const { network, blocksSeen, blocksRequired } = item.progress
      progress.wait(`confirming on ${network}: ${blocksSeen} of ${blocksRequired} blocks`)
      continue
    }
    const line = describeCharge(item.charge)
    if (last === null || line !== describeCharge(last)) progress.say(line)
    last = item.charge
    progress.wait(describeWait(last))
  }
  return last
}

function describeWait({ status, expiresAt, escrow }: Charge): string {
  if (status === 'pending' || status === 'partially_paid') return `waiting for payment until ${expiresAt}`
  if (escrow !== null && escrow.releasedAt === null) return 'waiting for the release of the escrow'
  return 'waiting for the payout'
}
