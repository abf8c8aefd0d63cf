import { SANDBOX_TRIGGERS } from '../../../shared/domain/sandbox-trigger.ts'
import { CommandError, parseOptions } from '../../../shared/runtime/command-line.ts'
import { requireData } from '../client.ts'
import { describeCharge } from './describe-charge.ts'
import { readNumber, readPair } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Simulates an event of a test charge without a chain. Requires a key that starts with svc_test_.

  svc sandbox trigger ID EVENT
      --amount DOLLARS        simulated payment; default: the amount due (charge.confirmed), half of the charge
                              (charge.partially_paid), or the rest up to 150 % of the charge (charge.overpaid)
      --with TOKEN@NETWORK    paid pair; default: the first pair that the charge accepts
      --from ADDRESS          sender, in lower case; default for an escrow: the releaser
      --json                  print the whole charge as JSON

Events:
  ${SANDBOX_TRIGGERS.join('\n  ')}
`

/** `svc sandbox trigger`. */
export const triggerCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values, positionals } = parseOptions(args, {
      ...{ texts: ['amount', 'with', 'from'], flags: ['json'], allowPositionals: true },
    })
    const { id, event } = readSubject(positionals)
    const body = {
      event,
      ...(values.amount !== undefined && { amount: readNumber('amount', values.amount) }),
      ...(values.with !== undefined && readPair('with', values.with)),
      ...(values.from !== undefined && { from: values.from }),
    }
    const call = api.POST('/v1/sandbox/charges/{id}/trigger', { params: { path: { id } }, body })
    const charge = await requireData(call)
    return [values.json ? JSON.stringify(charge, null, 2) : describeCharge(charge)]
  },
}

function readSubject([id, name, ...others]: readonly string[]) {
  if (id === undefined || name === undefined || others.length > 0) {
    throw new CommandError('sandbox trigger requires the id of one test charge and an event; see --help')
  }
  const event = SANDBOX_TRIGGERS.find((known) => known === name)
  if (event !== undefined) return { id, event }
  throw new CommandError(
    `${JSON.stringify(name)} cannot be triggered; it must be one of ${SANDBOX_TRIGGERS.join(', ')}`,
  )
}
