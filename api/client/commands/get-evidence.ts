import { parseArgs } from 'node:util'
import { readEvidencePages } from '../read-evidence-pages.ts'
import { readChargeId } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Prints the evidence of a charge's payments and distributions as JSON, for svc-verify-payment.

  svc charges evidence ID > FILE
      --tx HASH   only this transaction
`

/** `svc charges evidence`. */
export const getEvidence: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { positionals, values } = parseArgs({
      ...{ args, allowPositionals: true, options: { tx: { type: 'string' } } },
    })
    const id = readChargeId('charges evidence', positionals)
    return [JSON.stringify(await readEvidencePages(api, id, { txHash: values.tx }), null, 2)]
  },
}
