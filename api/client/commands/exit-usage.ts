/** The help of `svc exit`, in a separate file, because the command itself is loaded only when it runs. */
export const EXIT_USAGE = `Pays out everything that belongs to you, without the service: only with kept records, a node and a key for gas.

  svc exit --archive DIR --payout ADDRESS --rpc URL [--rpc URL …]
      --archive DIR          directory of kept responses (201) and webhooks, as they were received, in any order
      --payout ADDRESS       your payout address, 0x… or T…; charges whose terms do not name it are skipped; may be repeated
      --rpc URL              a node of each chain to read; on TRON the URL of /jsonrpc; may be repeated
      --send                 pay; without it the command only lists, and signs nothing
      --key-file FILE        the key that pays for gas, 0x and 64 hex digits; default: the variable EXIT_PRIVATE_KEY
      --factory T…           the factory of your charges on TRON; EVM networks have a fixed one
      --webhook-secrets-file FILE
                             secrets of your webhooks, one per line; default: EXIT_WEBHOOK_SECRETS, separated by spaces.
                             With a secret, a record counts only with its signature
      --accept-unsigned      with secrets, count responses (201) as well, which have no signature
      --escrow-split ADDRESS confirms the split of an escrow whose record has no signature; may be repeated
      --minimum DOLLARS      skip payments below it, which may be sent to waste your gas; default 1
      --max-cost CHAIN=AMOUNT
                             limit of the total cost on a chain, in its coin, such as base=0.01; default: the maximum that
                             the list shows; may be repeated
      --native-coin          pay native coin as well, which runs the code of its recipients
      --networks-file FILE   the service's networks.json, if its tokens or chains differ from the built-in ones
      --insecure             allow plain http to other machines
      --json                 print the result as JSON, with the data that releasers of escrows must sign

The money goes only to the recipients in the terms of each address, who share the incentive. If you run the command again, it pays only the rest.
After sending, the balances are read again; of several nodes of a chain, more than half must agree on the payments.
Exit codes: 0 no failure (without --send: no payment would fail), 1 a payment would fail, a share is held or a record was
rejected, 75 retry later. With 0, escrows, payments below --minimum and native coin may be left. See leaving.md in the package.
`
