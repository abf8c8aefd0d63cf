import { buildBloom } from '../../devnet/evm-node/bloom.ts'
import { type RealLog, realReceipt, toLogs, word } from './real-log.ts'

const TRANSFER = word('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const FEE = word('4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63')
const SYNC = word('1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1')
const SWAP = word('d78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822')
const [BURNER, PRODUCER] = [
  '6f1c28c40b5fed4fb546f85959ae2f7c16365cad',
  'e77bbfd8ed65720f187efdd109e38d75eaca7385',
]
const [TRADER, ROUTER] = [
  '058fcedd1c1487a88110fb8058c8c5de92c04323',
  'fd0e9d3f4eee056b49df062b70f766cfb13feb01',
]
const [POOL, POOL_2] = [
  'be40f7fff5a2235af9a8cb79a17373162efefa9c',
  '2cf7252e74036d1da831d11089d326296e64a728',
]
const COIN = '0x0000000000000000000000000000000000001010'
const [USDC, USDT] = [
  '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
] as const

const amount = (digits: string): string => word(digits).slice(2)
const fee = (payer: string, ...amounts: readonly string[]): RealLog => [
  COIN,
  [FEE, word('1010'), word(payer), word(PRODUCER)],
  ...amounts.map(amount),
]

const BURN: readonly RealLog[] = [
  [
    '0x16eccfdbb4ee1a85a33f3a9b21175cd7ae753db4',
    [TRANSFER, word(BURNER), word('')],
    amount('d1d932b7cacea719d'),
  ],
  fee(BURNER, '16941e572fa0', '86856544c8cb687f', '90c6ebf53a8a4175', '86854eb0aa7438df', '90c7028958e17115'),
]

const [IN, BETWEEN, OUT] = [amount('291a3d'), amount('28d94d'), amount('296be5')]
const NONE = amount('')

const TRADE: readonly RealLog[] = [
  [USDC, [TRANSFER, word(POOL_2), word(ROUTER)], IN],
  [USDC, [TRANSFER, word(ROUTER), word(POOL)], BETWEEN],
  [USDT, [TRANSFER, word(POOL), word(ROUTER)], OUT],
  [`0x${POOL}`, [SYNC], amount('1a11c017'), amount('1a5a1f87')],
  [`0x${POOL}`, [SWAP, word(ROUTER), word(ROUTER)], BETWEEN, NONE, NONE, OUT],
  [USDT, [TRANSFER, word(ROUTER), word(POOL_2)], OUT],
  [`0x${POOL_2}`, [SYNC], amount('8fb183446'), amount('9062580ac')],
  [`0x${POOL_2}`, [SWAP, word(ROUTER), word(ROUTER)], NONE, OUT, IN, NONE],
  fee(TRADER, 'b46995c2d7a8', '687e4f920e40529', '90c7028958e17115', '687308f8b212d81', '90c7b6f2eea448bd'),
]

/**
 * Block 9,826,737 of polygon, with two transactions. The second moves USDC and USDT. Source: the tests of
 * TomAFrench/matic-proofs at cc6b5f76, which contain a node's response.
 */
export const POLYGON_BLOCK = {
  hash: '0xfa78cb42d703195cf0d29cada217e395b7554e1892a3724da7396485b69988d0',
  header: {
    ...{
      difficulty: '0x8',
      gasLimit: '0x1312d00',
      gasUsed: '0x357ce',
      number: '0x95f1b1',
      timestamp: '0x60080fec',
    },
    extraData:
      '0xd58301091083626f7286676f312e3133856c696e757800000000000000000000a773d817ea98fbaa2ef2e81c24592942b1404483c92fe7ba75009f874cb9788262a120578943f5232851c6ae6d9d0c98d63e3279de9854f53ac0dbaee809867c01',
    logsBloom: buildBloom(toLogs([...BURN, ...TRADE])),
    miner: `0x${'0'.repeat(40)}`,
    ...{ mixHash: word(''), nonce: '0x0000000000000000' },
    parentHash: '0x5b03bb5dc40bbca90bfa340ed28d6dd8727df5138b80dd0ea3c7cb792c3d8b97',
    receiptsRoot: '0x17465186fbaa455f5825f9db1a869ed23fd4ad816a5c72b2d574cf57859863c7',
    sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
    stateRoot: '0xb44c8a4294100ecf821961d1e70ca154caa5ea4736d13fe8a4edd62298a5ed94',
    transactionsRoot: '0x3582fb5cd2c56bb1ddbba1e3d0426011c958858075d9f0630ea5acd0470ae932',
  },
  receipts: [
    realReceipt(0x59f0, { type: '0x0', logs: BURN }),
    realReceipt(0x357ce, { type: '0x0', logs: TRADE }),
  ],
} as const
