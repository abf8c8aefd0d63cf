import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CommandError, required, runCommandLine, table } from '../../../shared/runtime/command-line.ts'
import { AddressMismatch, type CheckedCharge, checkAddress } from '../check-address.ts'
import { readCheckedCharge } from '../read-checked-charge.ts'

const USAGE = `Checks, without asking anybody, that a charge's address really pays whom the charge says.

  npm run verify-address -- --charge FILE    a charge as the API answered it; - reads standard input
      --factory T…                           of a charge on TRON: the factory whose code you can vouch for

The address is computed again from the charge's addressTerms: it commits to every recipient, every share and the code
that pays them out. Exit code 0 if it is the charge's address, 1 if not; then do not pay.
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
    const headings = ['of all that comes', 'goes to', 'who is']
    return [
      `${charge.address} is the address of these terms.`,
      '',
      ...table([headings, ...rows]),
      ...caveatOf(charge),
    ]
  } catch (error) {
    if (!(error instanceof AddressMismatch)) throw error
    throw new CommandError(`DO NOT PAY ${charge.address}: ${error.message}.`)
  }
}

/** The Safe's address says nothing of the split behind it. */
function caveatOf({ escrow, addressTerms }: CheckedCharge): readonly string[] {
  if (escrow === null) return []
  return [
    '',
    `The address commits to the releaser ${escrow.releaserAddress} alone, whose signature sends the money on.`,
    `He signs a release only if its destination is ${addressTerms.splitAddress}, which pays the above.`,
  ]
}

function readCharge(file: string): CheckedCharge {
  try {
    const charge = readCheckedCharge(readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8'))
    if (charge !== null) return charge
  } catch (error) {
    throw new CommandError(`--charge ${file} cannot be read as JSON: ${(error as Error).message}`)
  }
  throw new CommandError(`--charge ${file} is no charge: it has no address and addressTerms`)
}
