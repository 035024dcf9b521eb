#!/usr/bin/env bash
# A Ray cluster for the time of one Slurm job: sbatch slurm.sh hulhe.h5
#SBATCH --job-name=cfr
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@60
set -euo pipefail

file=${1:?a strategy file}
source "$HOME/cfr/.venv/bin/activate"  # a folder that all nodes see

# The file and what is made of it come to each node once; the disk of the node is faster than a shared one.
export CFR_CACHE="${TMPDIR:-/tmp}/cfr-$USER"

head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 20000))  # another job on the node has another one

# Ray starts on all nodes; the command runs on the first, once all have joined. The job sent again goes on where it was.
resume=()
if [ -e "$file.exploit" ]; then resume=(--resume); fi
srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" \
  ray symmetric-run --address "$head:$port" --min-nodes "$SLURM_JOB_NUM_NODES" -- \
  cfr exploit "$file" --ray auto "${resume[@]}" --progress
