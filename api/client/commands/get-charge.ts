import { parseArgs } from 'node:util'
import { CommandError } from '../../../shared/runtime/command-line.ts'
import { requireData } from '../client.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Prints a charge as JSON.

  svc charges get ID
`

/** `svc charges get`. */
export const getCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const [id, ...rest] = parseArgs({ args, allowPositionals: true }).positionals
    if (id === undefined || rest.length > 0)
      throw new CommandError('charges get requires the id of one charge, ch_…; see --help')
    const charge = await requireData(api.GET('/v1/charges/{id}', { params: { path: { id } } }))
    return [JSON.stringify(charge, null, 2)]
  },
}
