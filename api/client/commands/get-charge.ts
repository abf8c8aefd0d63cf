import { parseArgs } from 'node:util'
import { requireData } from '../client.ts'
import { readChargeId } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Prints a charge as JSON.

  svc charges get ID
`

/** `svc charges get`. */
export const getCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true })
    const id = readChargeId('charges get', positionals)
    const charge = await requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } }))
    return [JSON.stringify(charge, null, 2)]
  },
}
