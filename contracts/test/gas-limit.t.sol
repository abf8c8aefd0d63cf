// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { HungryToken } from "./tokens/MisbehavingTokens.sol";

/// @notice With any gas limit, a call either reverts or pays every recipient that can be paid.
contract GasLimitTest is SplitTest {
    HungryToken private token;
    PaymentSplit private split;

    function setUp() public override {
        super.setUp();
        token = new HungryToken();
        split = createSplit(splitOfThree());
        token.mint(address(split), 100e6);
    }

    function testFuzz_revertsOrPaysEveryone(uint256 gas, uint256 appetite) public {
        feed(appetite);
        if (distribute(gas)) {
            expectPaid(merchant, 50e6);
            expectPaid(treasury, 10e6);
            expectPaid(partner, 40e6);
        } else {
            assertEq(split.distributable(address(token)), 100e6);
        }
    }

    function testFuzz_revertsOrPaysTheOthers_whenOneIsBlocked(uint256 gas, uint256 appetite) public {
        feed(appetite);
        token.refuse(treasury, true);
        if (distribute(gas)) {
            expectPaid(merchant, 50e6);
            expectPaid(partner, 40e6);
            assertEq(split.held(address(token), treasury), 10e6);
        } else {
            assertEq(split.distributable(address(token)), 100e6);
        }
    }

    /// @dev Holding costs the least gas here, because an earlier distribution has written the storage slots.
    function testFuzz_revertsOrPaysTheOthers_whenAllHaveBeenHeldBefore(uint256 gas, uint256 appetite) public {
        token.refuse(merchant, true);
        token.refuse(treasury, true);
        split.distribute(splitOfThree(), address(token), address(0));
        token.refuse(merchant, false);
        token.mint(address(split), 100e6);

        feed(appetite);
        if (distribute(gas)) {
            assertEq(split.held(address(token), merchant), 50e6);
            expectPaid(partner, 80e6);
        } else {
            assertEq(split.distributable(address(token)), 100e6);
        }
    }

    function testFuzz_revertsOrPays_inARelease(uint256 gas, uint256 appetite) public {
        token.refuse(treasury, true);
        split.distribute(splitOfThree(), address(token), address(0));
        token.refuse(treasury, false);

        feed(appetite);
        try split.release{ gas: _bound(gas, 20_000, 1_000_000) }(address(token), treasury) {
            expectPaid(treasury, 10e6);
        } catch {
            assertEq(split.held(address(token), treasury), 10e6);
        }
    }

    /// @dev Sets the gas of a transfer: from almost none to five times the gas of USDC with its proxy.
    function feed(uint256 appetite) private {
        token.setAppetite(_bound(appetite, 0, 300_000));
    }

    function distribute(uint256 gas) private returns (bool isDone) {
        bytes memory call = abi.encodeCall(split.distribute, (splitOfThree(), address(token), address(0)));
        (isDone,) = address(split).call{ gas: _bound(gas, 20_000, 2_000_000) }(call);
    }

    function expectPaid(address recipient, uint256 amount) private view {
        assertEq(token.balanceOf(recipient), amount);
        assertEq(split.held(address(token), recipient), 0);
    }
}
