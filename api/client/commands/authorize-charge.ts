import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseDecimal } from '../../../shared/domain/decimal.ts'
import { CommandError, parseOptions } from '../../../shared/runtime/command-line.ts'
import { SignatureMismatch, type SignedToken } from '../check-authorization.ts'
import { payBySignature } from '../pay-by-signature.ts'
import type { Eip1193Wallet } from '../pay-with-swap.ts'
import type { Schema } from '../schema.ts'
import { readChargeId, readEnvironment, readPair } from './option-values.ts'
import { readKeyFile } from './read-key-file.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Pays a charge by a signature of a local key. The key needs no coin for gas.

  svc charges authorize ID --with TOKEN@NETWORK --to ADDRESS --amount AMOUNT --key-file FILE
      --with TOKEN@NETWORK   one of the charge's payBySignature, such as USDC@base
      --to ADDRESS           the charge's address, from a source you trust (npm run verify-address)
      --amount AMOUNT        maximum dollars to sign for; less is signed if part of the charge is paid
      --key-file FILE        contains the payer's private key, 0x and 64 hex digits; it is never sent
      --token JSON           a token that is not built in, if you trust it:
                             {"chainId": …, "address": "0x…", "decimals": …, "name": "…", "version": "…"}
      --json                 print the charge as JSON

Signs at most once, and only a transfer of that token to that address of at most that amount, regardless of the
service's response. If no result is printed, read the charge before you run the command again: the payment might be
pending.
`

/** `svc charges authorize`. */
export const authorizeCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const texts = ['with', 'to', 'amount', 'key-file', 'token'] as const
    const { values, positionals } = parseOptions(args, { texts, flags: ['json'], allowPositionals: true })
    const id = readChargeId('charges authorize', positionals)
    const { with: pairText, to, amount, 'key-file': keyFile, token } = values
    if (pairText === undefined || to === undefined || amount === undefined || keyFile === undefined)
      throw new CommandError('charges authorize requires --with, --to, --amount and --key-file; see --help')
    const pair = readPair('with', pairText)
    const account = privateKeyToAccount(readKeyFile(keyFile))
    const paid = await payBySignature(api, createWallet(account), {
      ...{ pair, payer: account.address },
      charge: { id, address: to, ...readMaxAmount(amount), environment: readEnvironment() },
      token: token === undefined ? undefined : readToken(token),
    }).catch((error: unknown) => {
      throw error instanceof SignatureMismatch
        ? new CommandError(`nothing was signed: ${error.message}`, { cause: error })
        : error
    })
    return values.json ? [JSON.stringify(paid, null, 2)] : describe(paid, account.address)
  },
}

/** Treats the amount as entirely due, because the service subtracts the payments that arrived. */
function readMaxAmount(text: string) {
  if ((parseDecimal(text)?.digits ?? 0n) > 0n)
    return { amount: Number(text), amountExact: text, amountReceivedExact: null }
  throw new CommandError(
    `--amount is ${JSON.stringify(text)}; it must be a positive amount of dollars, such as 10.25`,
  )
}

function readToken(text: string): SignedToken {
  try {
    const { chainId, address, decimals, name, version } = JSON.parse(text)
    const isWhole = Number.isSafeInteger(chainId) && Number.isSafeInteger(decimals)
    if (isWhole && [address, name, version].every((one) => typeof one === 'string'))
      return { chainId, address, decimals, domain: { name, version } }
  } catch {
    // Reported below.
  }
  throw new CommandError(`--token is ${text}; it must be JSON in the format that --help shows`)
}

/** Creates a wallet that can only sign typed data. */
function createWallet(account: ReturnType<typeof privateKeyToAccount>): Eip1193Wallet {
  return {
    request: ({ method, params }) => {
      if (method !== 'eth_signTypedData_v4') throw new Error(`a local key does not support ${method}`)
      const [, typedData] = params as readonly [Hex, string]
      return account.signTypedData(JSON.parse(typedData))
    },
  }
}

function describe({ id, status, authorization }: Schema<'Charge'>, payer: Hex): readonly string[] {
  const rows = [
    ['charge', id],
    ['payer', payer],
    ['signature', authorization?.state ?? 'unknown'],
    ['transaction', authorization?.txHash ?? 'none yet'],
    [
      'status',
      `${status}; the payment is credited at the network's confirmation depth: svc charges watch ${id}`,
    ],
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(12)} ${value}`)
}
