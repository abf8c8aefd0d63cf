// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { TestToken } from "./TestToken.sol";

/// @notice Returns `false` and transfers nothing to a rejected recipient.
contract FalseReturningToken is TestToken("False", "FALSE", 6) {
    mapping(address account => bool) public isRefused;

    function refuse(address account, bool refused) external {
        isRefused[account] = refused;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return isRefused[to] ? false : super.transfer(to, amount);
    }
}

/// @notice Returns configurable bytes for some recipients, with or without transferring the amount.
contract GarbageReturningToken is TestToken("Garbage", "GARB", 6) {
    mapping(address recipient => bytes) public answers;
    bool public isMoving;

    function answer(address recipient, bytes calldata data) external {
        answers[recipient] = data;
    }

    function move() external {
        isMoving = true;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        bytes memory data = answers[to];
        if (data.length == 0) return super.transfer(to, amount);
        if (isMoving) _transfer(msg.sender, to, amount);
        assembly ("memory-safe") {
            return(add(data, 0x20), mload(data))
        }
    }
}

/// @notice Returns half a megabyte of data on a payment to a rejected recipient, or reverts with it.
contract ReturnBombToken is TestToken("Bomb", "BOMB", 6) {
    uint256 private constant BOMB_BYTES = 500_000;

    mapping(address account => bool) public isRefused;
    bool public isReverting;

    function refuse(address account, bool isReverting_) external {
        isRefused[account] = true;
        isReverting = isReverting_;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (!isRefused[to]) return super.transfer(to, amount);
        bool isReverting_ = isReverting;
        assembly ("memory-safe") {
            if isReverting_ { revert(0, BOMB_BYTES) }
            return(0, BOMB_BYTES)
        }
    }
}

/// @notice Burns all gas on a payment to a rejected recipient, like a failed `assert` in Solidity 0.4.
contract GasBurningToken is TestToken("Burner", "BURN", 6) {
    mapping(address account => bool) public isRefused;

    function refuse(address account) external {
        isRefused[account] = true;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        if (isRefused[to]) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        return super.transfer(to, amount);
    }
}

/// @notice Calls back into the split, as a recipient can do with a token that has receive hooks.
contract ReentrantToken is TestToken("Reentrant", "REENT", 6) {
    bytes[] private _attacks;
    address private _target;
    uint256 public attempts;
    uint256 public successes;
    bytes4 public lastError;

    function attack(address target, bytes[] memory attacks) external {
        _target = target;
        _attacks = attacks;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        for (uint256 i = 0; i < _attacks.length; i++) {
            attempts++;
            (bool isDone, bytes memory reason) = _target.call(_attacks[i]);
            if (isDone) successes++;
            else lastError = bytes4(reason);
        }
        return super.transfer(to, amount);
    }
}

/// @notice Takes a fee of one percent of every transfer, either from the transferred amount or on top of it.
contract FeeTakingToken is TestToken("Fee", "FEE", 6) {
    address public constant COLLECTOR = address(0xfee);

    bool public isSenderCharged;

    function chargeSender() external {
        isSenderCharged = true;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        uint256 fee = amount / 100;
        _transfer(msg.sender, COLLECTOR, fee);
        return super.transfer(to, isSenderCharged ? amount : amount - fee);
    }
}

/// @notice Uses a configurable amount of gas for a transfer.
contract HungryToken is TestToken("Hungry", "HUNGRY", 6) {
    mapping(address account => bool) public isRefused;
    uint256 public appetite;

    function setAppetite(uint256 gas) external {
        appetite = gas;
    }

    function refuse(address account, bool refused) external {
        isRefused[account] = refused;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        require(!isRefused[to], "refused");
        uint256 start = gasleft();
        while (start - gasleft() < appetite) { }
        return super.transfer(to, amount);
    }
}
