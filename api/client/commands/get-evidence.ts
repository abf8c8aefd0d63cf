import { parseArgs } from 'node:util'
import { readEvidencePages } from '../read-evidence-pages.ts'
import { readChargeId } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Prints the evidence of a charge's payments and distributions as JSON, for svc-verify-payment.

  svc charges evidence ID > FILE
`

/** `svc charges evidence`. */
export const getEvidence: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true })
    const id = readChargeId('charges evidence', positionals)
    return [JSON.stringify(await readEvidencePages(api, id), null, 2)]
  },
}
