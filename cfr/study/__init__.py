"""What a person studies: charts, statistics over flops, reviews of played hands, the trainer.

Numbers come from the rooms below; this room arranges them. Playing a hand belongs to ``play``.
"""
