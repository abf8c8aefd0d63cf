import { CommandError, parseOptions } from '../../../shared/runtime/command-line.ts'
import { requireData } from '../client.ts'
import type { Schema } from '../schema.ts'
import { readChargeId, readSwapInput } from './option-values.ts'
import type { SvcCommand } from './svc-command.ts'

const USAGE = `Quotes the remaining amount of a live charge in another asset, paid by a swap.

  svc charges quote ID --input TOKEN@NETWORK --taker ADDRESS
      --input TOKEN@NETWORK   the payer's asset, one of the charge's swapAlternatives, such as ETH@base
      --taker ADDRESS         the payer's address, which sends the transaction
      --json                  print the whole quote as JSON, with the data to sign and send
`

/** `svc charges quote`. */
export const quoteCharge: SvcCommand = {
  usage: USAGE,
  run: async (api, args) => {
    const { values, positionals } = parseOptions(args, {
      ...{ texts: ['input', 'taker'], flags: ['json'], allowPositionals: true },
    })
    const id = readChargeId('charges quote', positionals)
    if (values.input === undefined || values.taker === undefined) {
      throw new CommandError('charges quote requires --input and --taker; see --help')
    }
    const { token, network } = readSwapInput('input', values.input)
    const body = { inputToken: token, inputNetwork: network, takerAddress: values.taker }
    const call = api.POST('/v1/charges/{id}/quote', { params: { path: { id } }, body })
    const quote = await requireData(call)
    return values.json ? [JSON.stringify(quote, null, 2)] : describeQuote(quote)
  },
}

function describeQuote(quote: Schema<'SwapQuote'>): readonly string[] {
  const { inputAmountExact, outputAmountExact, fees, permit2, transaction } = quote
  const rows = [
    ['pays', `${outputAmountExact} ${quote.outputToken} on ${quote.outputNetwork}, exactly`],
    [
      'costs',
      `at most ${inputAmountExact} ${quote.inputToken}; the rest is returned in the same transaction`,
    ],
    [
      'fees',
      `${fees.serviceFeeExact} and ${fees.providerFeeExact ?? '0'} ${quote.outputToken}, included in the cost`,
    ],
    ['to sign', permit2 === null ? 'only the transaction' : 'a permit (EIP-712) for this amount'],
    ['to send', `${transaction.value} wei and ${transaction.data.length / 2 - 1} bytes to ${transaction.to}`],
    ['until', quote.expiresAt],
  ]
  return rows.map(([name = '', value = '']) => `${name.padEnd(10)} ${value}`)
}
