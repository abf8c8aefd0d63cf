import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CommandError, required, runCommandLine, table } from '../../../shared/runtime/command-line.ts'
import { AddressMismatch, type CheckedCharge, checkAddress } from '../check-address.ts'
import { readCheckedCharge } from '../read-checked-charge.ts'

const USAGE = `Checks offline that a charge's address belongs to the terms that the charge names.

  svc-verify-address --charge FILE    a charge as the API returned it; - reads standard input
      --factory T…                    for a charge on TRON: a factory whose code you trust

Computes the address from the charge's addressTerms. A charge's address commits to every recipient, every share and the
code that pays out the shares. An escrow's address commits only to its releaser. Exits with 0 if the address matches,
and with 1 if it does not match or cannot be checked. Do not pay unless the exit code is 0.
`

const STANDARD_INPUT = 0

await runCommandLine({ usage: USAGE, run: async (args) => verify(args) })

function verify(args: string[]): readonly string[] {
  const { values } = parseArgs({ args, options: { charge: { type: 'string' }, factory: { type: 'string' } } })
  const charge = readCharge(required(values.charge, 'charge'))
  try {
    const rows = checkAddress(charge, { factory: values.factory }).map(({ who, address, percent }) => [
      `${percent} %`,
      address,
      who,
    ])
    const headings = ['share', 'address', 'payee']
    return [
      `${charge.address} is the address of these terms.`,
      '',
      ...table([headings, ...rows]),
      ...getCaveat(charge),
    ]
  } catch (error) {
    if (!(error instanceof AddressMismatch)) throw error
    throw new CommandError(`DO NOT PAY ${charge.address}: ${error.message}.`)
  }
}

/** Returns the caveat for an escrow: the Safe's address does not commit to the split behind it. */
function getCaveat({ escrow, addressTerms }: CheckedCharge): readonly string[] {
  if (escrow === null) return []
  return [
    '',
    `The address commits to the releaser ${escrow.releaserAddress}, who releases the money, but not to the shares.`,
    `The releaser must not sign a release unless its destination is ${addressTerms.splitAddress}, which pays the shares above.`,
  ]
}

function readCharge(file: string): CheckedCharge {
  try {
    const charge = readCheckedCharge(readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8'))
    if (charge !== null) return charge
  } catch (error) {
    throw new CommandError(`--charge ${file} cannot be read as JSON: ${(error as Error).message}`)
  }
  throw new CommandError(
    `--charge ${file} is not a charge: address, addressTerms or splitRecipients is missing or has the wrong type`,
  )
}
