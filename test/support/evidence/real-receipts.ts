import type { Hex } from 'viem'
import { type RealLog, realReceipt, word } from './real-log.ts'

const TRANSFER = word('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const TRANSFER_SINGLE = word('c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62')
const SWAP = word('d78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822')
const SYNC = word('1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1')
const ITEM: Hex = '0xddb6dcce6b794415145eb5caa6cd335aeda9c272'
const NFT: Hex = '0xac6564f3718837caadd42eed742d75c12b90a052'
const ZERO = '0'.repeat(64)

const mint = (who: string): readonly RealLog[] => [
  [ITEM, [TRANSFER_SINGLE, word(who), word(who), word('')], word('2').slice(2), word('1').slice(2)],
  [ITEM, [TRANSFER_SINGLE, word(who), word(''), word(who)], word('3').slice(2), word('1').slice(2)],
  [
    ITEM,
    [word('0eb774bb9698a73583fe07b6972cf2dcc08d1d97581a22861f45feb86b395820'), word(who), word(who)],
    word('3').slice(2),
  ],
]

const PAYER = 'c3feb4ef4c2a5af77add15c95bd98f6b43640cc8'
const POOL = '2992607c1614484fe6d865088e5c048f0650afd4'
const POOL_2 = '8dbffe4c8bf3caf5deae3a99b50cfcf3648cbc09'
const ROUTER = '29843613c7211d014f5dd5718cf32bcd314914cb'
const MINTER = 'a4fa7f3fbf0677f254ebdb1646146864c305b76e'
const [IN, BETWEEN, OUT] = ['18de76816d8000', '2d24d8e9ac1aa79e2', '14bc73062aea8093'].map((amount) =>
  word(amount).slice(2),
)
const IPFS =
  '697066733a2f2f516d515141646b33736538396b47716577395256567a316b68643548375562476d4d4a485a62566f386a6d346f4a2f30000000000000000000'

const swap = (): readonly RealLog[] => [
  ['0x4200000000000000000000000000000000000006', [TRANSFER, word(PAYER), word(POOL)], IN ?? ''],
  ['0xcf8e7e6b26f407dee615fc4db18bf829e7aa8c09', [TRANSFER, word(POOL), word(POOL_2)], BETWEEN ?? ''],
  [`0x${POOL}`, [SYNC], word('9bd50642785c15736').slice(2), word('11bb7ac324f724a29bbbf').slice(2)],
  [`0x${POOL}`, [SWAP, word(ROUTER), word(POOL_2)], IN ?? '', ZERO, ZERO, BETWEEN ?? ''],
  ['0x6d0f8d488b669aa9ba2d0f0b7b75a88bf5051cd3', [TRANSFER, word(POOL_2), word(PAYER)], OUT ?? ''],
  [`0x${POOL_2}`, [SYNC], word('2f122cfadc1ca82a35').slice(2), word('665879dc0609945d6d1').slice(2)],
  [`0x${POOL_2}`, [SWAP, word(ROUTER), word(PAYER)], ZERO, BETWEEN ?? '', OUT ?? '', ZERO],
]

const claim = (): readonly RealLog[] => [
  [NFT, [TRANSFER, word(''), word(MINTER), word('11a1d3')]],
  [
    NFT,
    [word('9d89e36eadf856db0ad9ffb5a569e07f95634dddd9501141ecf04820484ad0dc'), word(MINTER), word('11a1d3')],
    ...[word('20').slice(2), word('37').slice(2), IPFS],
  ],
  [
    NFT,
    [
      ...[word('110d160a1bedeea919a88fbc4b2a9fb61b7e664084391b6ca2740db66fef80fe')],
      ...[word('84d47f6eea8f8d87910448325519d1bb45c2972a'), word(MINTER), word('11a1d3')],
    ],
    ...[word('20').slice(2), word(MINTER).slice(2), ZERO, ZERO, ZERO, word('140').slice(2), ZERO],
    ...[word('e'.repeat(40)).slice(2), ZERO],
    ...[word('77175007').slice(2), '6234303430366135303564623463396138616331643330633563333230326537'],
    ...[word('37').slice(2), IPFS],
  ],
]

/**
 * The receipts of a real OP stack testnet block between the upgrades Regolith and Canyon, and their root in its header:
 * a deposit and four transactions of type 2. Source: the tests in crates/optimism/consensus/src/proof.rs of
 * paradigmxyz/reth at 03393347, transactions 0xb0d6ee65…, 0x2f433586…, 0x6c33676e…, 0x4d3ecbef…, 0xf738af5e….
 */
export const REGOLITH_BLOCK = {
  receiptsRoot: '0xe255fed45eae7ede0556fe4fabc77b0d294d18781a5a581cab09127bc4cd9ffb',
  receipts: [
    { ...realReceipt(46_913, { type: '0x7e' }), depositNonce: '0x3d3bbf' as const },
    realReceipt(118_083, { logs: mint('c498902843af527e674846bb7edefa8ad62b8fb9') }),
    realReceipt(189_253, { logs: mint('9d521a04bee134ff8136d2ec957e5bc8c50394ec') }),
    realReceipt(346_969, { logs: swap() }),
    realReceipt(623_249, { logs: claim() }),
  ],
}
